/**
 * Tables, the page that shows results, the texts and the spread of figures; knows nothing of LDAP.
 *
 * <p>Public face: {@link ReportPage} and {@link ReportTable}.
 */
@NullMarked
package org.nyala.loadtest.format;

import org.jspecify.annotations.NullMarked;
