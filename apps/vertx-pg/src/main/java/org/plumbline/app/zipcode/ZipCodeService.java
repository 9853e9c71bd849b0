package org.plumbline.app.zipcode;

import io.vertx.core.Future;
import io.vertx.pgclient.PgException;
import io.vertx.sqlclient.SqlConnection;
import java.util.List;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.Sql;
import org.plumbline.domain.vertx.Pool;
import org.plumbline.domain.zipcode.ZipCodeView;

/** One transaction an operation. */
public final class ZipCodeService {
    private final Pool pool;
    private final ZipCodeRepository codes;

    public ZipCodeService(Pool pool, ZipCodeRepository codes) {
        this.pool = pool;
        this.codes = codes;
    }

    public Future<ZipCodeView> withKey(String zip) {
        return pool.reading(connection -> codes.findByKey(connection, zip)).map(found -> {
            if (found.isEmpty()) {
                throw new Refused(Problem.noSuchZipCode(zip));
            }
            return found.getFirst();
        });
    }

    public Future<List<ZipCodeView>> ofCity(String city) {
        return pool.reading(connection -> codes.findByCity(connection, city));
    }

    /** What is stored afterwards. A duplicate means that another request was quicker: what it stored is read anew. */
    public Future<ZipCodeView> add(ZipCodeView code) {
        return pool.writing(connection -> findOrInsert(connection, code)).recover(failure -> {
            boolean exists = failure instanceof PgException broken && Sql.UNIQUE_VIOLATION.equals(broken.getSqlState());
            return exists ? withKey(code.zip()) : Future.failedFuture(failure);
        });
    }

    private Future<ZipCodeView> findOrInsert(SqlConnection connection, ZipCodeView code) {
        return codes.findByKey(connection, code.zip())
                .compose(found -> found.isEmpty()
                        ? codes.insert(connection, code)
                        : Future.succeededFuture(found.getFirst()));
    }
}
