package org.plumbline.app.plumbing;

import io.micronaut.data.exceptions.DataAccessException;
import io.micronaut.data.jdbc.runtime.JdbcOperations;
import io.micronaut.data.jdbc.runtime.PreparedStatementCallback;
import jakarta.inject.Singleton;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.plumbline.domain.Sql;

/** SQL of our own by Micronaut Data's JdbcOperations, in the transaction of the caller. */
@Singleton
public class Statements {
    private final JdbcOperations jdbc;

    Statements(JdbcOperations jdbc) {
        this.jdbc = jdbc;
    }

    /** What is made of the row that the result stands at. */
    @FunctionalInterface
    public interface RowMapper<T> {
        T map(ResultSet row) throws SQLException;
    }

    /** A unique constraint does not allow the row. */
    public static final class DuplicateKey extends RuntimeException {
        private static final long serialVersionUID = 1L;

        DuplicateKey(Throwable cause) {
            super(cause);
        }
    }

    public <T> List<T> query(String sql, RowMapper<T> mapper, Object... parameters) {
        return prepared(sql, parameters, statement -> {
            try (ResultSet rows = statement.executeQuery()) {
                List<T> found = new ArrayList<>();
                while (rows.next()) {
                    found.add(mapper.map(rows));
                }
                return found;
            }
        });
    }

    public int update(String sql, Object... parameters) {
        return prepared(sql, parameters, PreparedStatement::executeUpdate);
    }

    private <T> T prepared(String sql, Object[] parameters, PreparedStatementCallback<T> work) {
        try {
            return jdbc.prepareStatement(sql, statement -> {
                // Closed here, so that the driver can hand it out again within the same transaction.
                try (statement) {
                    for (int i = 0; i < parameters.length; i++) {
                        statement.setObject(i + 1, parameters[i]);
                    }
                    return work.call(statement);
                }
            });
        } catch (DataAccessException e) {
            if (e.getCause() instanceof SQLException said && Sql.UNIQUE_VIOLATION.equals(said.getSQLState())) {
                throw new DuplicateKey(said);
            }
            throw e;
        }
    }
}
