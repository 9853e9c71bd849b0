package org.plumbline.app.plumbing;

import io.agroal.api.AgroalDataSource;
import jakarta.enterprise.context.ApplicationScoped;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import org.plumbline.domain.Sql;

/** SQL of our own on the connection of the current transaction, which Agroal hands out again within it. */
@ApplicationScoped
public class Statements {
    private final AgroalDataSource dataSource;

    Statements(AgroalDataSource dataSource) {
        this.dataSource = dataSource;
    }

    /** What is made of the row that the result stands at. */
    @FunctionalInterface
    public interface RowMapper<T> {
        T map(ResultSet row) throws SQLException;
    }

    /** The database did not do what it was asked. */
    public static class Failed extends RuntimeException {
        private static final long serialVersionUID = 1L;

        Failed(SQLException cause) {
            super(cause);
        }
    }

    /** A unique constraint does not allow the row. */
    public static final class DuplicateKey extends Failed {
        private static final long serialVersionUID = 1L;

        DuplicateKey(SQLException cause) {
            super(cause);
        }
    }

    @FunctionalInterface
    private interface Work<T> {
        T on(PreparedStatement statement) throws SQLException;
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

    private <T> T prepared(String sql, Object[] parameters, Work<T> work) {
        try (Connection connection = dataSource.getConnection();
                PreparedStatement statement = connection.prepareStatement(sql)) {
            for (int i = 0; i < parameters.length; i++) {
                statement.setObject(i + 1, parameters[i]);
            }
            return work.on(statement);
        } catch (SQLException e) {
            throw Sql.UNIQUE_VIOLATION.equals(e.getSQLState()) ? new DuplicateKey(e) : new Failed(e);
        }
    }
}
