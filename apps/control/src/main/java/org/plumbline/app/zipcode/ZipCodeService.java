package org.plumbline.app.zipcode;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.List;
import org.plumbline.app.plumbing.Pool;

/** One transaction an operation. */
public final class ZipCodeService {
    private final Pool pool;
    private final ZipCodeRepository codes;

    public ZipCodeService(Pool pool, ZipCodeRepository codes) {
        this.pool = pool;
        this.codes = codes;
    }

    List<ZipCode> withKey(String zip) throws SQLException, InterruptedException {
        return pool.reading(connection -> codes.findByKey(connection, zip));
    }

    List<ZipCode> ofCity(String city) throws SQLException, InterruptedException {
        return pool.reading(connection -> codes.findByCity(connection, city));
    }

    /** What is stored afterwards. A duplicate means that another request was quicker: what it stored is read anew. */
    ZipCode add(ZipCode code) throws SQLException, InterruptedException {
        try {
            return pool.writing(connection -> findOrInsert(connection, code));
        } catch (SQLException failure) {
            // A broken constraint: 23505 of PostgreSQL, 23000 of MySQL.
            if (failure.getSQLState() == null || !failure.getSQLState().startsWith("23")) {
                throw failure;
            }
            return withKey(code.zip()).getFirst();
        }
    }

    private ZipCode findOrInsert(Connection connection, ZipCode code) throws SQLException {
        List<ZipCode> found = codes.findByKey(connection, code.zip());
        if (!found.isEmpty()) {
            return found.getFirst();
        }
        codes.insert(connection, code);
        return code;
    }
}
