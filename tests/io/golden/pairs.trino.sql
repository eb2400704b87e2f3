SELECT
  *
FROM (
  SELECT
    "t1"."__t",
    "t1"."__p",
    COUNT(*) AS "__n"
  FROM (
    SELECT
      "t0"."truth" AS "__t",
      "t0"."the 'answer'" AS "__p"
    FROM "predictions" AS "t0"
  ) AS "t1"
  GROUP BY
    1,
    2
) AS "t2"
LIMIT 1000001
