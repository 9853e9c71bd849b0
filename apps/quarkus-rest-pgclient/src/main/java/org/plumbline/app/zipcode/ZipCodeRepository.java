package org.plumbline.app.zipcode;

import io.smallrye.mutiny.Uni;
import io.vertx.mutiny.sqlclient.Row;
import io.vertx.mutiny.sqlclient.SqlConnection;
import io.vertx.mutiny.sqlclient.Tuple;
import jakarta.enterprise.context.ApplicationScoped;
import java.util.ArrayList;
import java.util.List;
import org.plumbline.domain.zipcode.ZipCodeSql;
import org.plumbline.domain.zipcode.ZipCodeView;

/** One statement an operation, on the connection of the caller. */
@ApplicationScoped
public class ZipCodeRepository {

    /** A list of one, or empty. */
    Uni<List<ZipCodeView>> byKey(SqlConnection connection, String zip) {
        return find(connection, ZipCodeSql.BY_KEY, zip);
    }

    Uni<List<ZipCodeView>> byCity(SqlConnection connection, String city) {
        return find(connection, ZipCodeSql.BY_CITY, city);
    }

    Uni<ZipCodeView> insert(SqlConnection connection, ZipCodeView code) {
        return connection
                .preparedQuery(ZipCodeSql.INSERT)
                .execute(Tuple.of(
                        code.zip(), code.type(), code.city(), code.state(), code.county(), code.timezone()))
                .replaceWith(code);
    }

    private static Uni<List<ZipCodeView>> find(SqlConnection connection, String sql, String parameter) {
        return connection
                .preparedQuery(sql)
                .mapping(ZipCodeRepository::code)
                .execute(Tuple.of(parameter))
                .map(rows -> {
                    List<ZipCodeView> found = new ArrayList<>(rows.size());
                    rows.forEach(found::add);
                    return found;
                });
    }

    private static ZipCodeView code(Row row) {
        return new ZipCodeView(
                row.getString(0),
                row.getString(1),
                row.getString(2),
                row.getString(3),
                row.getString(4),
                row.getString(5));
    }
}
