package org.plumbline.app.zipcode;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import org.plumbline.domain.vertx.Rows;
import org.plumbline.domain.zipcode.ZipCodeSql;
import org.plumbline.domain.zipcode.ZipCodeView;

/** One statement an operation, on the connection of the caller. */
public final class ZipCodeRepository {

    /** A list of one, or empty. */
    public Future<List<ZipCodeView>> findByKey(SqlConnection connection, String zip) {
        return find(connection, ZipCodeSql.BY_KEY, zip);
    }

    public Future<List<ZipCodeView>> findByCity(SqlConnection connection, String city) {
        return find(connection, ZipCodeSql.BY_CITY, city);
    }

    public Future<ZipCodeView> insert(SqlConnection connection, ZipCodeView code) {
        return connection
                .preparedQuery(ZipCodeSql.INSERT)
                .execute(Tuple.of(
                        code.zip(), code.type(), code.city(), code.state(), code.county(), code.timezone()))
                .map(code);
    }

    private static Future<List<ZipCodeView>> find(SqlConnection connection, String sql, String parameter) {
        return connection
                .preparedQuery(sql)
                .mapping(Rows::zipCode)
                .execute(Tuple.of(parameter))
                .map(Rows::list);
    }
}
