-- 10 fruits, 8 stores, 34 prices. Synthetic data of our own; every store and every fruit has a price.

INSERT INTO fruits (id, name, description) VALUES
    (1, 'Apple', 'Crisp and sweet'),
    (2, 'Banana', 'Soft and rich in potassium'),
    (3, 'Cherry', 'Small, red and tart'),
    (4, 'Date', 'Sweet fruit of the desert'),
    (5, 'Elderberry', 'Dark berries for syrup'),
    (6, 'Fig', 'Honeyed flesh full of seeds'),
    (7, 'Grape', 'Grows in bunches, eaten or pressed'),
    (8, 'Kiwi', 'Green flesh in a brown coat'),
    (9, 'Lemon', 'Sour and fragrant'),
    (10, 'Mango', 'Juicy fruit of the tropics');

INSERT INTO stores (id, name, currency, address, city, country) VALUES
    (1, 'Harbour Market', 'EUR', 'Kaivokatu 3', 'Helsinki', 'Finland'),
    (2, 'Old Mill Grocers', 'GBP', '14 Bridge Street', 'York', 'United Kingdom'),
    (3, 'Plaza Verde', 'EUR', 'Calle Mayor 21', 'Valencia', 'Spain'),
    (4, 'Corner Orchard', 'USD', '880 Larch Avenue', 'Portland', 'United States'),
    (5, 'Lakeside Foods', 'CHF', 'Seestrasse 55', 'Luzern', 'Switzerland'),
    (6, 'Sakura Fresh', 'JPY', '2-7-1 Aoba', 'Sendai', 'Japan'),
    (7, 'Harvest Lane', 'CAD', '301 Maple Road', 'Halifax', 'Canada'),
    (8, 'Southern Basket', 'AUD', '9 Quay Street', 'Hobart', 'Australia');

INSERT INTO store_fruit_prices (store_id, fruit_id, price) VALUES
    (1, 2, 1.42),
    (1, 3, 7.20),
    (1, 4, 9.36),
    (1, 10, 7.45),
    (2, 1, 8.02),
    (2, 2, 7.41),
    (2, 6, 4.45),
    (2, 9, 12.64),
    (2, 10, 8.36),
    (3, 4, 3.57),
    (3, 6, 9.01),
    (3, 7, 10.01),
    (3, 9, 12.24),
    (4, 2, 8.35),
    (5, 2, 7.48),
    (5, 4, 11.15),
    (5, 8, 3.36),
    (5, 9, 2.61),
    (6, 1, 4.14),
    (6, 3, 7.63),
    (6, 5, 5.04),
    (6, 6, 7.51),
    (6, 8, 9.72),
    (7, 1, 11.94),
    (7, 3, 2.80),
    (7, 5, 5.68),
    (7, 8, 5.67),
    (7, 9, 7.50),
    (7, 10, 8.84),
    (8, 4, 12.11),
    (8, 5, 5.32),
    (8, 6, 10.93),
    (8, 9, 4.64),
    (8, 10, 2.71);

-- The next generated id follows the seed.
ALTER TABLE fruits ALTER COLUMN id RESTART WITH 11;
ALTER TABLE stores ALTER COLUMN id RESTART WITH 9;
