package org.plumbline.app.plumbing;

import java.sql.Connection;
import java.sql.SQLException;
import org.plumbline.domain.Environment;

/** Asks a question on the connection of the current transaction. Who holds that connection differs between JDBC and JPA. */
interface CurrentConnection {
    /** Reads an answer from a connection, which stays open. */
    @FunctionalInterface
    interface Question {
        Environment answer(Connection connection) throws SQLException;
    }

    Environment ask(Question question);
}
