package org.plumbline.app.plumbing;

import io.micronaut.data.exceptions.DataAccessException;
import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Singleton;
import java.sql.Connection;
import java.sql.SQLException;
import org.plumbline.domain.Environment;

/** The connection of Micronaut's own transactions on JDBC. */
@Singleton
class TransactionConnection implements CurrentConnection {
    private final TransactionOperations<Connection> transactions;

    TransactionConnection(TransactionOperations<Connection> transactions) {
        this.transactions = transactions;
    }

    @Override
    public Environment ask(Question question) {
        try {
            return question.answer(transactions.getConnection());
        } catch (SQLException failed) {
            throw new DataAccessException("The database did not say what it is set to.", failed);
        }
    }
}
