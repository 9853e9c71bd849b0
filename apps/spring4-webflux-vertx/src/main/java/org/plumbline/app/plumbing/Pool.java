package org.plumbline.app.plumbing;

import io.vertx.core.Future;
import io.vertx.sqlclient.SqlConnection;
import jakarta.annotation.PostConstruct;
import java.util.function.Function;
import java.util.function.Supplier;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Settings;
import org.plumbline.domain.vertx.EventLoops;
import org.springframework.stereotype.Component;
import reactor.core.publisher.Mono;

/** The connections of the whole process as Reactor takes them: nothing is asked for before somebody subscribes. */
@Component
public class Pool {
    private final org.plumbline.domain.vertx.Pool connections;
    private final Settings settings;

    Pool(EventLoops loops, Settings settings) {
        this.settings = settings;
        connections = new org.plumbline.domain.vertx.Pool(loops, settings.database());
    }

    /** The port opens afterwards; in the profile defaults requests open the connections. */
    @PostConstruct
    void fill() {
        connections.fill().await();
    }

    public Settings settings() {
        return settings;
    }

    public Environment.Pool now() {
        return connections.now();
    }

    public boolean ready() {
        return connections.ready();
    }

    public <T> Mono<T> reading(Function<SqlConnection, Future<T>> work) {
        return mono(() -> connections.reading(work));
    }

    public <T> Mono<T> writing(Function<SqlConnection, Future<T>> work) {
        return mono(() -> connections.writing(work));
    }

    public <T> Mono<T> single(Function<SqlConnection, Future<T>> work) {
        return mono(() -> connections.single(work));
    }

    private static <T> Mono<T> mono(Supplier<Future<T>> begun) {
        return Mono.fromCompletionStage(() -> begun.get().toCompletionStage());
    }
}
