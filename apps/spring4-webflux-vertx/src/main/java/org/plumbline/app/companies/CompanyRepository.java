package org.plumbline.app.companies;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlClient;
import io.vertx.sqlclient.Tuple;
import java.util.List;
import org.plumbline.domain.companies.CompanyView;
import org.plumbline.domain.vertx.Rows;
import org.springframework.stereotype.Repository;

/** One statement an operation, on the connection of the caller or on any of the pool. */
@Repository
public class CompanyRepository {

    /** {@code parameter} is the only one of the statement. */
    public Future<List<CompanyView>> find(SqlClient client, String sql, int parameter) {
        return client.preparedQuery(sql)
                .mapping(Rows::company)
                .execute(Tuple.of(parameter))
                .map(Rows::list);
    }
}
