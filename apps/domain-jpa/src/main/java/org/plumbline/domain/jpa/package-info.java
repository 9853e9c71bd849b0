/**
 * The tables of the workloads fruits, zipcode and orders as entities; everything is lazy, so that the variant decides
 * what is read.
 */
package org.plumbline.domain.jpa;
