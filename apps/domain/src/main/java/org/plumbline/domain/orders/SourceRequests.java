package org.plumbline.domain.orders;

import org.plumbline.domain.Problem;

/** The paths of the six sources for one order, and what it means when one of them answers 404. */
public record SourceRequests(NewOrder order) {

    public String customer() {
        return "/customers/" + order.customerId();
    }

    public String card() {
        return "/cards/" + order.cardId();
    }

    public String address() {
        return "/addresses/" + order.addressId();
    }

    public String products() {
        return "/products?ids=" + order.productIds();
    }

    public String stock() {
        return "/stock?ids=" + order.productIds();
    }

    public String discount() {
        return "/discounts/" + order.customerId();
    }

    public Problem noCustomer() {
        return Problem.badRequest("No customer has the id " + order.customerId() + ".");
    }

    public Problem noCard() {
        return Problem.badRequest("No card has the id " + order.cardId() + ".");
    }

    public Problem noAddress() {
        return Problem.badRequest("No address has the id " + order.addressId() + ".");
    }

    public Problem noProduct() {
        return Problem.badRequest("One of the products " + order.productIds() + " is unknown.");
    }
}
