package org.plumbline.app.orders;

import java.util.List;
import org.plumbline.domain.Numbers;
import org.plumbline.domain.Problem;
import org.plumbline.domain.orders.CardChange;
import org.plumbline.domain.orders.ItemView;
import org.plumbline.domain.orders.NewItem;
import org.plumbline.domain.orders.NewOrder;
import org.plumbline.domain.orders.OrderView;
import org.springframework.context.annotation.Lazy;
import org.springframework.http.HttpStatus;
import org.springframework.web.bind.annotation.DeleteMapping;
import org.springframework.web.bind.annotation.GetMapping;
import org.springframework.web.bind.annotation.PathVariable;
import org.springframework.web.bind.annotation.PostMapping;
import org.springframework.web.bind.annotation.PutMapping;
import org.springframework.web.bind.annotation.RequestBody;
import org.springframework.web.bind.annotation.RequestMapping;
import org.springframework.web.bind.annotation.ResponseStatus;
import org.springframework.web.bind.annotation.RestController;

/** The workload orders. */
@RestController
@RequestMapping("/orders")
public class OrderEndpoint {
    private final OrderService service;
    private final SourceClient sources;

    OrderEndpoint(OrderService service, @Lazy SourceClient sources) {
        this.service = service;
        this.sources = sources;
    }

    @GetMapping
    public List<OrderView> newest() {
        return service.newest();
    }

    @PostMapping
    @ResponseStatus(HttpStatus.CREATED)
    public OrderView create(@RequestBody NewOrder order) {
        return service.create(sources.price(order.validated()));
    }

    @GetMapping("/{orderId}")
    public OrderView byId(@PathVariable String orderId) {
        return service.byId(order(orderId));
    }

    @PutMapping("/{orderId}")
    public OrderView payWith(@PathVariable String orderId, @RequestBody CardChange change) {
        return service.payWith(order(orderId), change.validated().cardId());
    }

    @DeleteMapping("/{orderId}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    public void delete(@PathVariable String orderId) {
        service.delete(order(orderId));
    }

    @GetMapping("/{orderId}/items")
    public List<ItemView> items(@PathVariable String orderId) {
        return service.items(order(orderId));
    }

    @GetMapping("/{orderId}/items/{itemId}")
    public ItemView item(@PathVariable String orderId, @PathVariable String itemId) {
        Problem unknown = Problem.noSuchItem(orderId, itemId);
        return service.item(Numbers.id(orderId, unknown), Numbers.id(itemId, unknown));
    }

    @PostMapping("/{orderId}/items/{itemId}")
    @ResponseStatus(HttpStatus.CREATED)
    public ItemView addItem(
            @PathVariable String orderId, @PathVariable String itemId, @RequestBody NewItem item) {
        long order = order(orderId);
        return service.addItem(order, Numbers.id(itemId, Problem.noSuchItem(orderId, itemId)), item.validated());
    }

    @DeleteMapping("/{orderId}/items/{itemId}")
    @ResponseStatus(HttpStatus.NO_CONTENT)
    public void deleteItem(@PathVariable String orderId, @PathVariable String itemId) {
        Problem unknown = Problem.noSuchItem(orderId, itemId);
        service.deleteItem(Numbers.id(orderId, unknown), Numbers.id(itemId, unknown));
    }

    private static long order(String orderId) {
        return Numbers.id(orderId, Problem.noSuchOrder(orderId));
    }
}
