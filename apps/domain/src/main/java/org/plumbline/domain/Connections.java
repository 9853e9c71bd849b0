package org.plumbline.domain;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayDeque;
import java.util.Deque;
import javax.sql.DataSource;

/** Opens the connections of a JDBC pool before the first request. */
public final class Connections {
    private Connections() {}

    /** Holds so many connections at once, which proves that all are open: a pool opens them in the background. */
    public static void openAll(DataSource pool, int count) throws SQLException {
        Deque<Connection> held = new ArrayDeque<>();
        try {
            while (held.size() < count) {
                held.push(pool.getConnection());
            }
        } finally {
            while (!held.isEmpty()) {
                held.pop().close();
            }
        }
    }
}
