package org.plumbline.app.zipcode;

import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import org.plumbline.domain.vertx.Rows;
import org.plumbline.domain.zipcode.ZipCodeSql;
import org.plumbline.domain.zipcode.ZipCodeView;

/** One statement an operation, on the connection of the caller. */
public final class ZipCodeRepository {

    /** A list of one, or empty. */
    public List<ZipCodeView> findByKey(SqlConnection connection, String zip) {
        return find(connection, ZipCodeSql.BY_KEY, zip);
    }

    public List<ZipCodeView> findByCity(SqlConnection connection, String city) {
        return find(connection, ZipCodeSql.BY_CITY, city);
    }

    public ZipCodeView insert(SqlConnection connection, ZipCodeView code) {
        connection
                .preparedQuery(ZipCodeSql.INSERT)
                .execute(Tuple.of(
                        code.zip(), code.type(), code.city(), code.state(), code.county(), code.timezone()))
                .await();
        return code;
    }

    private static List<ZipCodeView> find(SqlConnection connection, String sql, String parameter) {
        return Rows.list(connection
                .preparedQuery(sql)
                .mapping(Rows::zipCode)
                .execute(Tuple.of(parameter))
                .await());
    }
}
