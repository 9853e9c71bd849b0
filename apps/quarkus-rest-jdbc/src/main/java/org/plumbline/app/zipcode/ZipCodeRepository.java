package org.plumbline.app.zipcode;

import jakarta.enterprise.context.ApplicationScoped;
import java.util.List;
import java.util.Optional;
import org.plumbline.app.plumbing.Statements;
import org.plumbline.app.plumbing.Statements.RowMapper;
import org.plumbline.domain.Sql;
import org.plumbline.domain.zipcode.ZipCodeSql;
import org.plumbline.domain.zipcode.ZipCodeView;

/** One statement an operation, in the transaction of the caller. */
@ApplicationScoped
public class ZipCodeRepository {
    private static final String BY_KEY = Sql.jdbc(ZipCodeSql.BY_KEY);
    private static final String BY_CITY = Sql.jdbc(ZipCodeSql.BY_CITY);
    private static final String INSERT = Sql.jdbc(ZipCodeSql.INSERT);

    private static final RowMapper<ZipCodeView> CODE = row -> new ZipCodeView(
            row.getString(1), row.getString(2), row.getString(3), row.getString(4), row.getString(5), row.getString(6));

    private final Statements statements;

    ZipCodeRepository(Statements statements) {
        this.statements = statements;
    }

    public Optional<ZipCodeView> byKey(String zip) {
        return statements.query(BY_KEY, CODE, zip).stream().findFirst();
    }

    public List<ZipCodeView> byCity(String city) {
        return statements.query(BY_CITY, CODE, city);
    }

    public ZipCodeView insert(ZipCodeView code) {
        statements.update(
                INSERT, code.zip(), code.type(), code.city(), code.state(), code.county(), code.timezone());
        return code;
    }
}
