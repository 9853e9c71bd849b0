package org.plumbline.app.zipcode;

import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;

/** One statement an operation, on the connection of the caller. */
public final class ZipCodeRepository {
    private static final String COLUMNS = "zip, type, city, state, county, timezone";
    private static final String BY_KEY = "SELECT " + COLUMNS + " FROM zipcode WHERE zip = ?";
    private static final String BY_CITY = "SELECT " + COLUMNS + " FROM zipcode WHERE city = ? ORDER BY zip";
    private static final String INSERT = "INSERT INTO zipcode (" + COLUMNS + ") VALUES (?, ?, ?, ?, ?, ?)";

    /** A list of one, or empty. */
    List<ZipCode> findByKey(Connection connection, String zip) throws SQLException {
        return find(connection, BY_KEY, zip);
    }

    List<ZipCode> findByCity(Connection connection, String city) throws SQLException {
        return find(connection, BY_CITY, city);
    }

    void insert(Connection connection, ZipCode code) throws SQLException {
        try (PreparedStatement statement = connection.prepareStatement(INSERT)) {
            statement.setString(1, code.zip());
            statement.setString(2, code.type());
            statement.setString(3, code.city());
            statement.setString(4, code.state());
            statement.setString(5, code.county());
            statement.setString(6, code.timezone());
            statement.executeUpdate();
        }
    }

    private static List<ZipCode> find(Connection connection, String sql, String parameter) throws SQLException {
        List<ZipCode> found = new ArrayList<>();
        try (PreparedStatement statement = connection.prepareStatement(sql)) {
            statement.setString(1, parameter);
            try (ResultSet row = statement.executeQuery()) {
                while (row.next()) {
                    found.add(new ZipCode(
                            row.getString(1),
                            row.getString(2),
                            row.getString(3),
                            row.getString(4),
                            row.getString(5),
                            row.getString(6)));
                }
            }
        }
        return found;
    }
}
