package org.plumbline.app.orders;

import io.smallrye.mutiny.Uni;
import jakarta.ws.rs.Consumes;
import jakarta.ws.rs.DELETE;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.POST;
import jakarta.ws.rs.PUT;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.PathParam;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;
import jakarta.ws.rs.core.Response;
import java.util.List;
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
    public Uni<Response> create(NewOrder order) {
        return sources.price(given(order).validated()).chain(service::create).map(OrderEndpoint::created);
    }

    @GET
    @Path("{orderId}")
    public Uni<OrderView> byId(@PathParam("orderId") String orderId) {
        return service.byId(order(orderId));
    }

    @PUT
    @Path("{orderId}")
    @Consumes(MediaType.APPLICATION_JSON)
    public Uni<OrderView> payWith(@PathParam("orderId") String orderId, CardChange change) {
        return service.payWith(order(orderId), given(change).validated().cardId());
    }

    @DELETE
    @Path("{orderId}")
    public Uni<Void> delete(@PathParam("orderId") String orderId) {
        return service.delete(order(orderId));
    }

    @GET
    @Path("{orderId}/items")
    public Uni<List<ItemView>> items(@PathParam("orderId") String orderId) {
        return service.items(order(orderId));
    }

    @GET
    @Path("{orderId}/items/{itemId}")
    public Uni<ItemView> item(@PathParam("orderId") String orderId, @PathParam("itemId") String itemId) {
        Problem unknown = Problem.noSuchItem(orderId, itemId);
        return service.item(Numbers.id(orderId, unknown), Numbers.id(itemId, unknown));
    }

    @POST
    @Path("{orderId}/items/{itemId}")
    @Consumes(MediaType.APPLICATION_JSON)
    public Uni<Response> addItem(
            @PathParam("orderId") String orderId, @PathParam("itemId") String itemId, NewItem item) {
        long order = order(orderId);
        long id = Numbers.id(itemId, Problem.noSuchItem(orderId, itemId));
        return service.addItem(order, id, given(item).validated()).map(OrderEndpoint::created);
    }

    @DELETE
    @Path("{orderId}/items/{itemId}")
    public Uni<Void> deleteItem(@PathParam("orderId") String orderId, @PathParam("itemId") String itemId) {
        Problem unknown = Problem.noSuchItem(orderId, itemId);
        return service.deleteItem(Numbers.id(orderId, unknown), Numbers.id(itemId, unknown));
    }

    private static long order(String orderId) {
        return Numbers.id(orderId, Problem.noSuchOrder(orderId));
    }

    private static Response created(Object view) {
        return Response.status(Response.Status.CREATED).entity(view).build();
    }

    /** An empty body, or the literal null, is no object. */
    private static <T> T given(T body) {
        if (body == null) {
            throw new Refused(Problem.notAnObject());
        }
        return body;
    }
}
