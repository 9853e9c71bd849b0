package org.plumbline.app.plumbing;

import io.micronaut.data.exceptions.DataAccessException;
import java.sql.SQLException;
import org.plumbline.domain.Sql;

/** Tells a broken unique constraint from other failures. */
public final class Duplicates {
    private Duplicates() {}

    public static boolean isDuplicate(DataAccessException failed) {
        return failed.getCause() instanceof SQLException said && Sql.UNIQUE_VIOLATION.equals(said.getSQLState());
    }
}
