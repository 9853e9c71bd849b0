package org.plumbline.app.zipcode;

import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import org.plumbline.app.plumbing.Transactions;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Sql;
import org.plumbline.domain.zipcode.ZipCodeView;

/** One transaction an operation. */
public final class ZipCodeService {
    private final Transactions transactions;
    private final ZipCodeRepository codes;

    public ZipCodeService(Transactions transactions, ZipCodeRepository codes) {
        this.transactions = transactions;
        this.codes = codes;
    }

    public ZipCodeView withKey(String zip) {
        List<ZipCodeView> found = transactions.reading(connection -> codes.findByKey(connection, zip));
        if (found.isEmpty()) {
            throw new Refused(Problem.noSuchZipCode(zip));
        }
        return found.getFirst();
    }

    public List<ZipCodeView> ofCity(String city) {
        return transactions.reading(connection -> codes.findByCity(connection, city));
    }

    /** What is stored afterwards. A duplicate means that another request was quicker: what it stored is read anew. */
    public ZipCodeView add(ZipCodeView code) {
        try {
            return transactions.writing(connection -> findOrInsert(connection, code));
        } catch (PgException failure) {
            if (Sql.UNIQUE_VIOLATION.equals(failure.getSqlState())) {
                return withKey(code.zip());
            }
            throw failure;
        }
    }

    private ZipCodeView findOrInsert(SqlConnection connection, ZipCodeView code) {
        List<ZipCodeView> found = codes.findByKey(connection, code.zip());
        return found.isEmpty() ? codes.insert(connection, code) : found.getFirst();
    }
}
