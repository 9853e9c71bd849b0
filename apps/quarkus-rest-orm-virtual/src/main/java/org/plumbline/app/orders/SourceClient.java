package org.plumbline.app.orders;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import jakarta.enterprise.context.ApplicationScoped;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import org.eclipse.microprofile.config.inject.ConfigProperty;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.orders.NewOrder;
import org.plumbline.domain.orders.PricedOrder;
import org.plumbline.domain.orders.SourceRequests;
import org.plumbline.domain.orders.Sources;

/**
 * The six sources of an order, asked at once, each on a virtual thread of its own. (StructuredTaskScope is a preview in
 * JDK 25.)
 */
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
    private final ExecutorService asking = Executors.newVirtualThreadPerTaskExecutor();
    private final HttpClient http = HttpClient.newBuilder()
            // As the stub speaks it: no upgrade is tried.
            .version(HttpClient.Version.HTTP_1_1)
            .connectTimeout(TIMEOUT)
            .build();

    SourceClient(@ConfigProperty(name = "STUB_URL") Optional<String> address, ObjectMapper json) {
        this.address = address.orElse("");
        this.json = json;
    }

    public PricedOrder price(NewOrder order) {
        SourceRequests paths = new SourceRequests(order);
        var customer = asking.submit(() -> ask(paths.customer(), paths.noCustomer(), CUSTOMER));
        var card = asking.submit(() -> ask(paths.card(), paths.noCard(), CARD));
        var address = asking.submit(() -> ask(paths.address(), paths.noAddress(), ADDRESS));
        var products = asking.submit(() -> ask(paths.products(), paths.noProduct(), PRODUCTS));
        var stock = asking.submit(() -> ask(paths.stock(), Problem.sourceGone(), STOCK));
        var discount = asking.submit(() -> ask(paths.discount(), Problem.sourceGone(), DISCOUNT));
        return PricedOrder.of(
                order,
                new Sources(of(customer), of(card), of(address), of(products), of(stock), of(discount)));
    }

    private static <T> T of(Future<T> answer) {
        try {
            return answer.get();
        } catch (ExecutionException failed) {
            throw failed.getCause() instanceof Refused refused ? refused : new IllegalStateException(failed.getCause());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new Refused(Problem.sourceGone());
        }
    }

    private <T> T ask(String path, Problem unknown, TypeReference<T> type) {
        try {
            return read(http.send(request(path), BodyHandlers.ofByteArray()), unknown, type);
        } catch (IOException silent) {
            throw new Refused(Problem.sourceGone());
        } catch (InterruptedException interrupted) {
            Thread.currentThread().interrupt();
            throw new Refused(Problem.sourceGone());
        }
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
