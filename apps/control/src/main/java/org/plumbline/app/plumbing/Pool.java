package org.plumbline.app.plumbing;

import java.sql.Connection;
import java.sql.SQLException;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;

/** A fixed number of connections, all opened before it exists; one that broke is opened again when it is next needed. */
public final class Pool {
    /** SQLSTATE class of what is wrong with the connection itself. */
    private static final String CONNECTION_EXCEPTION = "08";

    /** SQLSTATE class of a server that shuts down. */
    private static final String OPERATOR_INTERVENTION = "57";

    /** The timeout of the variables is meant for requests; a connection takes longer while everything starts. */
    private static final int START_TIMEOUT_MS = 60_000;

    private final BlockingQueue<Slot> idle;
    private final Driver driver;
    private final int configured;

    /** What is done with a connection. */
    @FunctionalInterface
    public interface Work<T> {
        T on(Connection connection) throws SQLException;
    }

    /** The place of one connection, which is null until it is opened again, and the mode it is in: asking it may cost. */
    private static final class Slot {
        private Connection connection;
        private boolean isReadOnly;
    }

    private Pool(BlockingQueue<Slot> idle, Driver driver, int configured) {
        this.idle = idle;
        this.driver = driver;
        this.configured = configured;
    }

    /** Opens all connections. */
    public static Pool open(Driver driver, int size) throws SQLException {
        BlockingQueue<Slot> slots = new ArrayBlockingQueue<>(size);
        for (int i = 0; i < size; i++) {
            Slot slot = new Slot();
            open(slot, driver, START_TIMEOUT_MS);
            slots.add(slot);
        }
        return new Pool(slots, driver, size);
    }

    private static void open(Slot slot, Driver driver, int timeoutMs) throws SQLException {
        slot.connection = driver.connect(timeoutMs);
        slot.isReadOnly = true;
    }

    /** Runs the work in a read-only transaction. */
    public <T> T reading(Work<T> work) throws SQLException, InterruptedException {
        return inTransaction(work, true);
    }

    /** Runs the work in a transaction. */
    public <T> T writing(Work<T> work) throws SQLException, InterruptedException {
        return inTransaction(work, false);
    }

    /** Runs a single statement by itself. */
    public <T> T single(Work<T> work) throws SQLException, InterruptedException {
        return lend(slot -> {
            slot.connection.setAutoCommit(true);
            return work.on(slot.connection);
        });
    }

    private <T> T inTransaction(Work<T> work, boolean isReadOnly) throws SQLException, InterruptedException {
        return lend(slot -> {
            Connection connection = slot.connection;
            connection.setAutoCommit(false);
            if (slot.isReadOnly != isReadOnly) {
                connection.setReadOnly(isReadOnly);
                slot.isReadOnly = isReadOnly;
            }
            try {
                T result = work.on(connection);
                connection.commit();
                return result;
            } catch (SQLException | RuntimeException failure) {
                if (!isBroken(failure)) {
                    connection.rollback();
                }
                throw failure;
            }
        });
    }

    private interface Lent<T> {
        T of(Slot slot) throws SQLException;
    }

    private <T> T lend(Lent<T> work) throws SQLException, InterruptedException {
        Slot slot = idle.poll(driver.timeoutMs(), TimeUnit.MILLISECONDS);
        if (slot == null) {
            throw new Gone("no connection is free", null);
        }
        try {
            if (slot.connection == null) {
                reopen(slot);
            }
            return work.of(slot);
        } catch (SQLException failure) {
            if (slot.connection != null && isBroken(failure)) {
                driver.abandon(slot.connection);
                slot.connection = null;
                throw new Gone("the connection broke", failure);
            }
            throw failure;
        } finally {
            idle.add(slot);
        }
    }

    private void reopen(Slot slot) throws Gone {
        try {
            open(slot, driver, driver.timeoutMs());
        } catch (SQLException failure) {
            throw new Gone("no connection could be opened", failure);
        }
    }

    private static boolean isBroken(Exception failure) {
        String state = failure instanceof SQLException found ? found.getSQLState() : null;
        return state != null && (state.startsWith(CONNECTION_EXCEPTION) || state.startsWith(OPERATOR_INTERVENTION));
    }

    /** The database does not answer. */
    public static final class Gone extends SQLException {
        private static final long serialVersionUID = 1L;

        private Gone(String reason, Throwable cause) {
            super(reason, cause);
        }
    }

    public Engine engine() {
        return driver.engine();
    }

    public int configured() {
        return configured;
    }

    int inUse() {
        return configured - idle.size();
    }
}
