package org.plumbline.app.companies;

import java.util.List;
import org.plumbline.domain.Sql;
import org.plumbline.domain.companies.Batch;
import org.plumbline.domain.companies.CompanySql;
import org.plumbline.domain.companies.CompanyView;
import org.springframework.jdbc.core.RowMapper;
import org.springframework.jdbc.core.simple.JdbcClient;
import org.springframework.stereotype.Repository;

/** One statement an operation, in the transaction of the caller or by itself. */
@Repository
public class CompanyRepository {
    private static final String BY_ID = Sql.jdbc(CompanySql.BY_ID);
    private static final String FIRST = Sql.jdbc(CompanySql.FIRST);
    private static final String SLEEPING = Sql.jdbc(CompanySql.SLEEPING);

    private static final RowMapper<CompanyView> COMPANY =
            (row, number) -> new CompanyView(row.getInt(1), row.getString(2));

    private final JdbcClient jdbc;

    CompanyRepository(JdbcClient jdbc) {
        this.jdbc = jdbc;
    }

    /** A list of one, or empty. */
    public List<CompanyView> byId(int id) {
        return find(BY_ID, id);
    }

    public List<CompanyView> first(int limit) {
        return find(FIRST, limit);
    }

    public List<CompanyView> query(Batch.Query query, int parameter) {
        return switch (query) {
            case ONE -> find(BY_ID, parameter);
            case HUNDRED -> find(FIRST, parameter);
            case SLEEP -> find(SLEEPING, parameter);
        };
    }

    private List<CompanyView> find(String sql, int parameter) {
        return jdbc.sql(sql).param(parameter).query(COMPANY).list();
    }
}
