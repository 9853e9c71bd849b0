package org.plumbline.domain.vertx;

import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import java.util.ArrayList;
import java.util.List;
import org.plumbline.domain.FruitRows.FruitRow;
import org.plumbline.domain.FruitRows.PriceRow;
import org.plumbline.domain.StoreView;
import org.plumbline.domain.companies.CompanyView;
import org.plumbline.domain.zipcode.ZipCodeView;

/** Reads rows of the contract's statements, column by column in the order of their text. */
public final class Rows {
    private Rows() {}

    public static <T> List<T> list(RowSet<T> rows) {
        List<T> list = new ArrayList<>(rows.size());
        rows.forEach(list::add);
        return list;
    }

    public static FruitRow fruit(Row row) {
        return new FruitRow(row.getLong(0), row.getString(1), row.getString(2));
    }

    public static PriceRow price(Row row) {
        return new PriceRow(row.getLong(0), row.getLong(1), row.getBigDecimal(2));
    }

    public static StoreView store(Row row) {
        return new StoreView(
                row.getLong(0),
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5));
    }

    public static ZipCodeView zipCode(Row row) {
        return new ZipCodeView(
                row.getString(0),
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5));
    }

    public static CompanyView company(Row row) {
        return new CompanyView(row.getInteger(0), row.getString(1));
    }
}
