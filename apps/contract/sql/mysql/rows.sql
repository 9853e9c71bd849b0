-- Synthetic rows of our own, made by arithmetic: the same on every engine, in every year. ../pg/rows.sql says the same.
-- 12,078 zip codes of 2,013 cities with six each; 100,000 companies; 10,000 orders of one to three items.
-- ../../golden_maker/ has the same arithmetic in Python, for the golden answers.

SET SESSION cte_max_recursion_depth = 100000;

INSERT INTO zipcode (zip, type, city, state, county, timezone)
WITH RECURSIVE counted (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM counted WHERE n < 12077),
cities (n, c) AS (SELECT n, n DIV 6 FROM counted)
SELECT
    LPAD(501 + n * 7, 5, '0'),
    CASE WHEN n % 10 < 7 THEN 'STANDARD' WHEN n % 10 < 9 THEN 'PO BOX' ELSE 'UNIQUE' END,
    CONCAT(
        ELT(1 + c DIV 671, '', 'New ', 'Old '),
        ELT(1 + c % 61,
            'Alder', 'Amber', 'Ash', 'Aspen', 'Barley', 'Beacon', 'Birch', 'Bramble', 'Bridge', 'Briar',
            'Brook', 'Cedar', 'Clover', 'Copper', 'Coral', 'Crane', 'Dale', 'Deer', 'Eagle', 'Elder', 'Elm',
            'Falcon', 'Fern', 'Flint', 'Fox', 'Garnet', 'Glen', 'Granite', 'Harbor', 'Hazel', 'Heron',
            'Holly', 'Iron', 'Ivory', 'Juniper', 'Kestrel', 'Lake', 'Larch', 'Laurel', 'Lark', 'Linden',
            'Maple', 'Marsh', 'Meadow', 'Mill', 'Moss', 'Oak', 'Otter', 'Pebble', 'Pine', 'Quail', 'Raven',
            'Reed', 'River', 'Robin', 'Rowan', 'Sage', 'Silver', 'Spruce', 'Thistle', 'Willow'
        ),
        ELT(1 + c DIV 61 % 11, 'ford', 'ton', 'field', 'wood', 'ville', 'burg', 'bury', 'dale', 'port', 'mont', 'stead')
    ),
    ELT(1 + c % 50,
        'AL', 'AK', 'AZ', 'AR', 'CA', 'CO', 'CT', 'DE', 'FL', 'GA', 'HI', 'ID', 'IL', 'IN', 'IA', 'KS', 'KY',
        'LA', 'ME', 'MD', 'MA', 'MI', 'MN', 'MS', 'MO', 'MT', 'NE', 'NV', 'NH', 'NJ', 'NM', 'NY', 'NC', 'ND',
        'OH', 'OK', 'OR', 'PA', 'RI', 'SC', 'SD', 'TN', 'TX', 'UT', 'VT', 'VA', 'WA', 'WV', 'WI', 'WY'
    ),
    CONCAT(ELT(1 + c * 7 % 61,
        'Alder', 'Amber', 'Ash', 'Aspen', 'Barley', 'Beacon', 'Birch', 'Bramble', 'Bridge', 'Briar', 'Brook',
        'Cedar', 'Clover', 'Copper', 'Coral', 'Crane', 'Dale', 'Deer', 'Eagle', 'Elder', 'Elm', 'Falcon',
        'Fern', 'Flint', 'Fox', 'Garnet', 'Glen', 'Granite', 'Harbor', 'Hazel', 'Heron', 'Holly', 'Iron',
        'Ivory', 'Juniper', 'Kestrel', 'Lake', 'Larch', 'Laurel', 'Lark', 'Linden', 'Maple', 'Marsh',
        'Meadow', 'Mill', 'Moss', 'Oak', 'Otter', 'Pebble', 'Pine', 'Quail', 'Raven', 'Reed', 'River',
        'Robin', 'Rowan', 'Sage', 'Silver', 'Spruce', 'Thistle', 'Willow'
    ), ' County'),
    ELT(1 + c % 4, 'America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles')
FROM cities
ORDER BY n;

INSERT INTO companies (company_name)
WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 100000)
SELECT MD5(CONCAT('company ', n)) FROM counted ORDER BY n;

INSERT INTO orders (id, customer_id, customer, card_id, address_id, ship_to, discount_percent, total)
WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 10000),
ids (n, c, a) AS (SELECT n, 1 + n % 1000, 1 + n % 700 FROM counted)
SELECT n, c, CONCAT('Customer ', c), 1 + n % 500, a, CONCAT(a, ' Elm Street, York, United Kingdom'), c % 5 * 5, 0
FROM ids
ORDER BY n;

INSERT INTO order_items (order_id, item_id, name, quantity, price)
WITH RECURSIVE counted (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM counted WHERE n < 10000),
`lines` (k) AS (SELECT 0 UNION ALL SELECT 1 UNION ALL SELECT 2),
products (n, k, p) AS (SELECT n, k, 1 + (n * 3 + k) % 1000 FROM counted CROSS JOIN `lines` WHERE k <= n % 3)
SELECT n, p, CONCAT('Product ', p), 1 + (n + k) % 4, (100 + p * 37 % 9900) / 100
FROM products
ORDER BY n, p;

UPDATE orders JOIN (
    SELECT order_id, SUM(ROUND(price * quantity * (100 - discount_percent) / 100, 2)) AS total
    FROM order_items JOIN orders ON id = order_id
    GROUP BY order_id
) AS paid ON orders.id = paid.order_id
SET orders.total = paid.total;
