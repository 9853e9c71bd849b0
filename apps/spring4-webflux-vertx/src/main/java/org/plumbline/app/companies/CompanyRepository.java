package org.plumbline.app.companies;

import io.vertx.core.Future;
import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import org.plumbline.domain.companies.CompanyView;
import org.springframework.stereotype.Repository;

/** One statement an operation, on the connection of the caller or on any of the pool. */
@Repository
public class CompanyRepository {

    /** {@code parameter} is the only one of the statement. */
    public Future<List<CompanyView>> find(SqlClient client, String sql, int parameter) {
        return client.preparedQuery(sql)
                .mapping(CompanyRepository::company)
                .execute(Tuple.of(parameter))
                .map(rows -> {
                    List<CompanyView> found = new ArrayList<>(rows.size());
                    rows.forEach(found::add);
                    return found;
                });
    }

    private static CompanyView company(Row row) {
        return new CompanyView(row.getInteger(0), row.getString(1));
    }
}
