package org.plumbline.app.plumbing;

import io.micronaut.context.annotation.Replaces;
import io.micronaut.transaction.TransactionOperations;
import jakarta.inject.Singleton;
import org.hibernate.Session;
import org.plumbline.domain.Environment;

/** The connection of Hibernate's session, which belongs to the current transaction. */
@Singleton
@Replaces(TransactionConnection.class)
class SessionConnection implements CurrentConnection {
    private final TransactionOperations<Session> transactions;

    SessionConnection(TransactionOperations<Session> transactions) {
        this.transactions = transactions;
    }

    @Override
    public Environment ask(Question question) {
        return transactions.getConnection().doReturningWork(question::answer);
    }
}
