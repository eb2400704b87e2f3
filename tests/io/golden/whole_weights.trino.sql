SELECT
  *
FROM (
  SELECT
    "t1"."__t",
    "t1"."__p",
    COUNT(*) AS "__n",
    COUNT("t1"."__w") AS "__c",
    COALESCE(SUM("t1"."__w"), 0) AS "__s",
    MIN("t1"."__m") AS "__m",
    COALESCE(SUM("t1"."__v"), 0) AS "__q",
    COALESCE(SUM("t1"."__f"), 0) AS "__f"
  FROM (
    SELECT
      "t0"."truth" AS "__t",
      "t0"."the 'answer'" AS "__p",
      "t0"."__t" AS "__w",
      CAST("t0"."__t" AS DOUBLE) * CAST("t0"."__t" AS DOUBLE) AS "__v",
      "t0"."__t" AS "__m",
      0 AS "__f"
    FROM "predictions" AS "t0"
  ) AS "t1"
  GROUP BY
    1,
    2
) AS "t2"
LIMIT 1000001
