/** The workload zipcode (study 000): what stands on the wire, and the SQL text. */
package org.plumbline.domain.zipcode;
