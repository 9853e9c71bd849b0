package org.plumbline.app.companies;

import io.vertx.sqlclient.Row;
import io.vertx.sqlclient.RowSet;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.ArrayList;
import java.util.List;
import org.plumbline.domain.companies.CompanyView;

/** One statement an operation, on the connection of the caller or on any of the pool. */
public final class CompanyRepository {

    /** {@code parameter} is the only one of the statement. */
    public List<CompanyView> find(SqlClient client, String sql, int parameter) {
        RowSet<CompanyView> rows = client.preparedQuery(sql)
                .mapping(CompanyRepository::company)
                .execute(Tuple.of(parameter))
                .await();
        List<CompanyView> found = new ArrayList<>(rows.size());
        rows.forEach(found::add);
        return found;
    }

    private static CompanyView company(Row row) {
        return new CompanyView(row.getInteger(0), row.getString(1));
    }
}
