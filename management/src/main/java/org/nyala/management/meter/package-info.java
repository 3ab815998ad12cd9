/**
 * The catalogue of meters, and where it is shown: Prometheus over HTTP, the counters file, {@code
 * cn=Monitor}.
 *
 * <p>Public face: {@link MeterCatalogue}.
 */
@NullMarked
package org.nyala.management.meter;

import org.jspecify.annotations.NullMarked;
