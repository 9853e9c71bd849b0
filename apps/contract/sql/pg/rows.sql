-- Synthetic rows of our own, made by arithmetic: the same on every engine, in every year. ../mysql/rows.sql says the same.
-- 12,078 zip codes of 2,013 cities with six each; 100,000 companies; 10,000 orders of one to three items.
-- ../../golden_maker/ has the same arithmetic in Python, for the golden answers.

INSERT INTO zipcode (zip, type, city, state, county, timezone)
WITH words AS (
    SELECT
        (ARRAY[
            'Alder', 'Amber', 'Ash', 'Aspen', 'Barley', 'Beacon', 'Birch', 'Bramble', 'Bridge', 'Briar',
            'Brook', 'Cedar', 'Clover', 'Copper', 'Coral', 'Crane', 'Dale', 'Deer', 'Eagle', 'Elder', 'Elm',
            'Falcon', 'Fern', 'Flint', 'Fox', 'Garnet', 'Glen', 'Granite', 'Harbor', 'Hazel', 'Heron',
            'Holly', 'Iron', 'Ivory', 'Juniper', 'Kestrel', 'Lake', 'Larch', 'Laurel', 'Lark', 'Linden',
            'Maple', 'Marsh', 'Meadow', 'Mill', 'Moss', 'Oak', 'Otter', 'Pebble', 'Pine', 'Quail', 'Raven',
            'Reed', 'River', 'Robin', 'Rowan', 'Sage', 'Silver', 'Spruce', 'Thistle', 'Willow'
        ]) AS begin,
        ARRAY['ford', 'ton', 'field', 'wood', 'ville', 'burg', 'bury', 'dale', 'port', 'mont', 'stead'] AS ending,
        (ARRAY[
            'AL', 'AK', 'AZ', 'AR', 'CA', 'CO', 'CT', 'DE', 'FL', 'GA', 'HI', 'ID', 'IL', 'IN', 'IA', 'KS',
            'KY', 'LA', 'ME', 'MD', 'MA', 'MI', 'MN', 'MS', 'MO', 'MT', 'NE', 'NV', 'NH', 'NJ', 'NM', 'NY',
            'NC', 'ND', 'OH', 'OK', 'OR', 'PA', 'RI', 'SC', 'SD', 'TN', 'TX', 'UT', 'VT', 'VA', 'WA', 'WV',
            'WI', 'WY'
        ]) AS state,
        ARRAY['America/New_York', 'America/Chicago', 'America/Denver', 'America/Los_Angeles'] AS timezone
)
SELECT
    lpad((501 + n * 7)::text, 5, '0'),
    CASE WHEN n % 10 < 7 THEN 'STANDARD' WHEN n % 10 < 9 THEN 'PO BOX' ELSE 'UNIQUE' END,
    (ARRAY['', 'New ', 'Old '])[1 + c / 671] || begin[1 + c % 61] || ending[1 + c / 61 % 11],
    state[1 + c % 50],
    begin[1 + c * 7 % 61] || ' County',
    timezone[1 + c % 4]
FROM generate_series(0, 12077) AS n, LATERAL (SELECT n / 6 AS c) AS city, words
ORDER BY n;

INSERT INTO companies (company_name)
SELECT md5('company ' || n) FROM generate_series(1, 100000) AS n ORDER BY n;

INSERT INTO orders (id, customer_id, customer, card_id, address_id, ship_to, discount_percent, total)
SELECT n, c, 'Customer ' || c, 1 + n % 500, a, a || ' Elm Street, York, United Kingdom', c % 5 * 5, 0
FROM generate_series(1, 10000) AS n, LATERAL (SELECT 1 + n % 1000 AS c, 1 + n % 700 AS a) AS ids
ORDER BY n;

INSERT INTO order_items (order_id, item_id, name, quantity, price)
SELECT n, p, 'Product ' || p, 1 + (n + k) % 4, (100 + p * 37 % 9900) / 100.0
FROM generate_series(1, 10000) AS n, generate_series(0, 2) AS k, LATERAL (SELECT 1 + (n * 3 + k) % 1000 AS p) AS product
WHERE k <= n % 3
ORDER BY n, p;

UPDATE orders SET total = lines.total
FROM (
    SELECT order_id, sum(round(price * quantity * (100 - discount_percent) / 100, 2)) AS total
    FROM order_items JOIN orders ON id = order_id
    GROUP BY order_id
) AS lines
WHERE id = order_id;

-- The next generated id follows the rows; companies counted for itself.
ALTER TABLE fruits ALTER COLUMN id RESTART WITH 11;
ALTER TABLE stores ALTER COLUMN id RESTART WITH 9;
ALTER TABLE orders ALTER COLUMN id RESTART WITH 10001;
