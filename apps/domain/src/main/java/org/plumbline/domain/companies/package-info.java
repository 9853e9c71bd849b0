/** The workload companies (study 001): what stands on the wire, the SQL text, and the batches of one request. */
package org.plumbline.domain.companies;
