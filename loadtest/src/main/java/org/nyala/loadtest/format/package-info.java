/**
 * Tables, the page of results, and the texts and spread of figures; independent of LDAP.
 *
 * <p>Public face: {@link ReportPage} and {@link ReportTable}.
 */
@NullMarked
package org.nyala.loadtest.format;

import org.jspecify.annotations.NullMarked;
