package org.plumbline.domain;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.lang.reflect.InvocationHandler;
import java.lang.reflect.Proxy;
import java.sql.Connection;
import java.sql.SQLException;
import javax.sql.DataSource;
import org.junit.jupiter.api.Test;

class ConnectionsTest {
    private int open;
    private int mostAtOnce;
    private int lentOut;

    @Test
    void allAreOpenAtOnceAndComeHome() throws SQLException {
        Connections.openAll(poolOf(20), 20);
        assertEquals(20, mostAtOnce);
        assertEquals(0, open);
    }

    @Test
    void whereThePoolGivesFewerTheOthersComeHome() {
        assertThrows(SQLException.class, () -> Connections.openAll(poolOf(3), 20));
        assertEquals(3, mostAtOnce);
        assertEquals(0, open);
    }

    /** A pool that refuses the connection after the last. */
    private DataSource poolOf(int size) {
        return as(DataSource.class, (pool, method, arguments) -> {
            if (++lentOut > size) {
                throw new SQLException("no connection is left");
            }
            mostAtOnce = Math.max(mostAtOnce, ++open);
            return as(Connection.class, (connection, called, with) -> {
                open--;
                return null;
            });
        });
    }

    private static <T> T as(Class<T> type, InvocationHandler handler) {
        return type.cast(Proxy.newProxyInstance(type.getClassLoader(), new Class<?>[] {type}, handler));
    }
}
