/** The workload orders (study 004): what stands on the wire, the six sources, and how an order is priced. */
package org.plumbline.domain.orders;
