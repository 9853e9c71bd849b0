package org.plumbline.app.orders;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.smallrye.mutiny.CompositeException;
import io.smallrye.mutiny.Uni;
import io.vertx.core.Context;
import io.vertx.core.Vertx;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.orders.NewOrder;
import org.plumbline.domain.orders.PricedOrder;
import org.plumbline.domain.orders.SourceRequests;
import org.plumbline.domain.orders.Sources;

/** The six sources of an order, asked at once. What follows goes on in the request's own context: a session lives in one. */
@ApplicationScoped
public class SourceClient {
    private static final Duration TIMEOUT = Duration.ofSeconds(3);
    private static final TypeReference<Sources.Customer> CUSTOMER = new TypeReference<>() {};
    private static final TypeReference<Sources.Card> CARD = new TypeReference<>() {};
    private static final TypeReference<Sources.Address> ADDRESS = new TypeReference<>() {};
    private static final TypeReference<List<Sources.Product>> PRODUCTS = new TypeReference<>() {};
    private static final TypeReference<List<Sources.Stock>> STOCK = new TypeReference<>() {};
    private static final TypeReference<Sources.Discount> DISCOUNT = new TypeReference<>() {};

    private final String address;
    private final ObjectMapper json;
    private final HttpClient http = HttpClient.newBuilder()
            // As the stub speaks it: no upgrade is tried.
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();

    SourceClient(@ConfigProperty(name = "STUB_URL") Optional<String> address, ObjectMapper json) {
        this.address = address.orElse("");
        this.json = json;
    }

    public Uni<PricedOrder> price(NewOrder order) {
        SourceRequests paths = new SourceRequests(order);
        Context request = Vertx.currentContext();
        return Uni.combine()
                .all()
                .unis(
                        ask(paths.customer(), paths.noCustomer(), CUSTOMER),
                        ask(paths.card(), paths.noCard(), CARD),
                        ask(paths.address(), paths.noAddress(), ADDRESS),
                        ask(paths.products(), paths.noProduct(), PRODUCTS),
                        ask(paths.stock(), Problem.sourceGone(), STOCK),
                        ask(paths.discount(), Problem.sourceGone(), DISCOUNT))
                // Of two that are unknown the one that stands first is told, whichever answered first.
                .collectFailures()
                .with(Sources::new)
                .onFailure(CompositeException.class)
                .transform(several -> several.getCauses().getFirst())
                .emitOn(command -> request.runOnContext(ignored -> command.run()))
                .map(sources -> PricedOrder.of(order, sources));
    }

    private <T> Uni<T> ask(String path, Problem unknown, TypeReference<T> type) {
        return Uni.createFrom()
                .completionStage(() -> http.sendAsync(request(path), BodyHandlers.ofByteArray()))
                .map(response -> {
                    try {
                        return read(response, unknown, type);
                    } catch (IOException unreadable) {
                        throw new UncheckedIOException(unreadable);
                    }
                })
                .onFailure(failure -> !(failure instanceof Refused))
                .transform(silent -> new Refused(Problem.sourceGone()));
    }

    private HttpRequest request(String path) {
        return HttpRequest.newBuilder(URI.create(address + path)).timeout(TIMEOUT).build();
    }

    private <T> T read(HttpResponse<byte[]> response, Problem unknown, TypeReference<T> type) throws IOException {
        return switch (response.statusCode()) {
            case 200 -> json.readValue(response.body(), type);
            case 404 -> throw new Refused(unknown);
            default -> throw new Refused(Problem.sourceGone());
        };
    }
}
