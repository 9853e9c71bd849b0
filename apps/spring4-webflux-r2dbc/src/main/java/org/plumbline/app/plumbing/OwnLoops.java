package org.plumbline.app.plumbing;

import io.netty.channel.Channel;
import io.netty.channel.EventLoopGroup;
import reactor.core.publisher.Mono;
import reactor.netty.resources.LoopResources;

/**
 * One loop a processor, to which connections are given in turn. Always Java's own: with the native ones Reactor Netty asks
 * twice for each connection, and where their number is even every other loop stays idle (study 001's one or two threads of
 * eight). https://github.com/r2dbc/r2dbc-pool/issues/190
 */
final class OwnLoops implements LoopResources {
    private final LoopResources loops =
            LoopResources.create("r2dbc", 1, Runtime.getRuntime().availableProcessors(), true, false);

    @Override
    public EventLoopGroup onServer(boolean useNative) {
        return loops.onServer(false);
    }

    @Override
    public EventLoopGroup onClient(boolean useNative) {
        return loops.onClient(false);
    }

    @Override
    public <C extends Channel> C onChannel(Class<C> type, EventLoopGroup group) {
        return loops.onChannel(type, group);
    }

    @Override
    public <C extends Channel> Class<? extends C> onChannelClass(Class<C> type, EventLoopGroup group) {
        return loops.onChannelClass(type, group);
    }

    @Override
    public boolean daemon() {
        return true;
    }

    @Override
    public Mono<Void> disposeLater() {
        return loops.disposeLater();
    }
}
