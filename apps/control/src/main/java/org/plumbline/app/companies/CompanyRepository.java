package org.plumbline.app.companies;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** One statement an operation, on the connection of the caller. */
public final class CompanyRepository {
    static final String BY_ID = "SELECT company_id, company_name FROM companies WHERE company_id = ?";
    static final String FIRST = "SELECT company_id, company_name FROM companies ORDER BY company_id LIMIT ?";
    /** %s: how the database sleeps. */
    static final String SLEEPING = "SELECT company_id, company_name, %s FROM companies WHERE company_id = ?";

    record Company(int id, String name) {}

    /** {@code parameter} is the only one of the statement. */
    List<Company> find(Connection connection, String sql, int parameter) throws SQLException {
        List<Company> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setInt(1, parameter);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    found.add(new Company(row.getInt(1), row.getString(2)));
                }
            }
        }
        return found;
    }
}
