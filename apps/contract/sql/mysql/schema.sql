-- The tables of all workloads, as MySQL has them: those of ../pg/schema.sql, in the character set of study 000.
CREATE TABLE fruits (
    id          bigint AUTO_INCREMENT PRIMARY KEY,
    name        varchar(255) NOT NULL UNIQUE,
    description varchar(255)
);

CREATE TABLE stores (
    id       bigint AUTO_INCREMENT PRIMARY KEY,
    name     varchar(255) NOT NULL UNIQUE,
    currency varchar(8)   NOT NULL,
    address  varchar(255) NOT NULL,
    city     varchar(255) NOT NULL,
    country  varchar(255) NOT NULL
);

CREATE TABLE store_fruit_prices (
    store_id bigint         NOT NULL,
    fruit_id bigint         NOT NULL,
    price    decimal(12, 2) NOT NULL,
    PRIMARY KEY (store_id, fruit_id),
    FOREIGN KEY (store_id) REFERENCES stores (id),
    FOREIGN KEY (fruit_id) REFERENCES fruits (id)
);

CREATE TABLE zipcode (
    zip      varchar(100) PRIMARY KEY,
    type     varchar(255),
    city     varchar(255),
    state    varchar(255),
    county   varchar(255),
    timezone varchar(255)
);

CREATE TABLE companies (
    company_id   int AUTO_INCREMENT PRIMARY KEY,
    company_name varchar(255)
);

CREATE TABLE orders (
    id               bigint AUTO_INCREMENT PRIMARY KEY,
    customer_id      bigint         NOT NULL,
    customer         varchar(255)   NOT NULL,
    card_id          bigint         NOT NULL,
    address_id       bigint         NOT NULL,
    ship_to          varchar(255)   NOT NULL,
    discount_percent int            NOT NULL,
    total            decimal(12, 2) NOT NULL
);

CREATE TABLE order_items (
    order_id bigint         NOT NULL,
    item_id  bigint         NOT NULL,
    name     varchar(255)   NOT NULL,
    quantity int            NOT NULL,
    price    decimal(12, 2) NOT NULL,
    PRIMARY KEY (order_id, item_id),
    FOREIGN KEY (order_id) REFERENCES orders (id)
);
