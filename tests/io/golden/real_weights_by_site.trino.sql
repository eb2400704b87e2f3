SELECT
  *
FROM (
  SELECT
    "t1"."__t",
    "t1"."__p",
    "t1"."__g",
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
      "t0"."site" AS "__g",
      "t0"."w" AS "__w",
      "t0"."w" * "t0"."w" AS "__v",
      "t0"."w" AS "__m",
      CASE
        WHEN CASE
          WHEN ABS("t0"."w") < CAST(9.223372036854776e+18 AS DOUBLE)
          THEN "t0"."w"
          ELSE CAST(0.5 AS DOUBLE)
        END <> CAST(ROUND(
          CASE
            WHEN ABS("t0"."w") < CAST(9.223372036854776e+18 AS DOUBLE)
            THEN "t0"."w"
            ELSE CAST(0.5 AS DOUBLE)
          END,
          0
        ) AS BIGINT)
        THEN 1
        ELSE 0
      END AS "__f"
    FROM "predictions" AS "t0"
  ) AS "t1"
  GROUP BY
    1,
    2,
    3
) AS "t2"
LIMIT 1000001
