package org.plumbline.app.orders;

import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import java.util.List;
import org.jboss.resteasy.reactive.ResponseStatus;
import org.jboss.resteasy.reactive.RestResponse.StatusCode;
import org.plumbline.domain.Numbers;
import org.plumbline.domain.Problem;
import org.plumbline.domain.Refused;
import org.plumbline.domain.orders.CardChange;
import org.plumbline.domain.orders.ItemView;
import org.plumbline.domain.orders.NewItem;
import org.plumbline.domain.orders.NewOrder;
import org.plumbline.domain.orders.OrderChoices;
import org.plumbline.domain.orders.OrderView;

/** The workload orders. */
@Path("/orders")
@Produces(MediaType.APPLICATION_JSON)
public class OrderEndpoint {
    private final OrderService service;
    private final SourceClient sources;

    OrderEndpoint(OrderService usual, SeveralSessionsOrderService several, SourceClient sources) {
        this.service = OrderChoices.from(System.getenv()).severalSessions() ? several : usual;
        this.sources = sources;
    }

    @GET
    public Uni<List<OrderView>> newest() {
        return service.newest();
    }

    @POST
    @Consumes(MediaType.APPLICATION_JSON)
    @ResponseStatus(StatusCode.CREATED)
    public Uni<OrderView> create(NewOrder order) {
        return sources.price(given(order).validated()).chain(service::create);
    }

    @GET
    @Path("{orderId}")
    public Uni<OrderView> byId(String orderId) {
        return service.byId(order(orderId));
    }

    @PUT
    @Path("{orderId}")
    @Consumes(MediaType.APPLICATION_JSON)
    public Uni<OrderView> payWith(String orderId, CardChange change) {
        return service.payWith(order(orderId), given(change).validated().cardId());
    }

    @DELETE
    @Path("{orderId}")
    public Uni<Void> delete(String orderId) {
        return service.delete(order(orderId));
    }

    @GET
    @Path("{orderId}/items")
    public Uni<List<ItemView>> items(String orderId) {
        return service.items(order(orderId));
    }

    @GET
    @Path("{orderId}/items/{itemId}")
    public Uni<ItemView> item(String orderId, String itemId) {
        Problem unknown = Problem.noSuchItem(orderId, itemId);
        return service.item(Numbers.id(orderId, unknown), Numbers.id(itemId, unknown));
    }

    @POST
    @Path("{orderId}/items/{itemId}")
    @Consumes(MediaType.APPLICATION_JSON)
    @ResponseStatus(StatusCode.CREATED)
    public Uni<ItemView> addItem(String orderId, String itemId, NewItem item) {
        long order = order(orderId);
        long id = Numbers.id(itemId, Problem.noSuchItem(orderId, itemId));
        return service.addItem(order, id, given(item).validated());
    }

    @DELETE
    @Path("{orderId}/items/{itemId}")
    public Uni<Void> deleteItem(String orderId, String itemId) {
        Problem unknown = Problem.noSuchItem(orderId, itemId);
        return service.deleteItem(Numbers.id(orderId, unknown), Numbers.id(itemId, unknown));
    }

    private static long order(String orderId) {
        return Numbers.id(orderId, Problem.noSuchOrder(orderId));
    }

    /** An empty body, or the literal null, is no object. */
    private static <T> T given(T body) {
        if (body == null) {
            throw new Refused(Problem.notAnObject());
        }
        return body;
    }
}
