SELECT
  *
FROM (
  SELECT
    "t1"."__t" AS "__t",
    "t1"."__p" AS "__p",
    COUNT(*) AS "__n"
  FROM (
    SELECT
      "t0"."truth" AS "__t",
      "t0"."the 'answer'" AS "__p"
    FROM "predictions" AS "t0"
  ) AS "t1"
  GROUP BY
    "t1"."__t",
    "t1"."__p"
) AS "t2"
LIMIT 1000001
