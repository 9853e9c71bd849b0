package org.plumbline.domain.vertx;

import static org.junit.jupiter.api.Assertions.assertEquals;

import io.vertx.core.VertxOptions;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.plumbline.domain.Environment;
import org.plumbline.domain.Settings;

class EventLoopsTest {
    private static final int PROCESSORS = Runtime.getRuntime().availableProcessors();

    @Test
    void inParityTheyAreVertxOwnChoice() {
        EventLoops loops = EventLoops.start(VertxChoices.from(Map.of()));
        assertEquals(new Environment.Loops(VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE, "nio"), loops.seen());
        assertEquals(VertxOptions.DEFAULT_EVENT_LOOP_POOL_SIZE, loops.contexts().size());
        assertEquals("parity", profile(loops));
        loops.vertx().close().await();
    }

    @Test
    void withNothingStatedTheyAreTheDefaults() {
        EventLoops loops = EventLoops.start(VertxChoices.from(Map.of("PROFILE", "defaults")));
        assertEquals("defaults", profile(loops));
        loops.vertx().close().await();
    }

    @Test
    void whatIsNeitherProfileIsSaidAsItIs() {
        EventLoops loops = EventLoops.start(new VertxChoices(false, 3, false, 1, true));
        assertEquals("loops %d, transport nio".formatted(3 * PROCESSORS), profile(loops));
        loops.vertx().close().await();
    }

    private static String profile(EventLoops loops) {
        Environment bare = Environment.withoutDatabase(
                new Environment.Component("java", "25"),
                Environment.ServingThread.current(),
                Settings.withoutDatabase(Map.of()));
        return loops.in(bare).settings().get("profile");
    }
}
