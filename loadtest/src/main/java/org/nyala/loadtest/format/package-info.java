/**
 * Tables, charts and numbers of JSON; knows nothing of LDAP.
 *
 * <p>Public face: {@link HtmlPage}, {@link ReportTable} and {@link JsonNumber}.
 */
@NullMarked
package org.nyala.loadtest.format;

import org.jspecify.annotations.NullMarked;
