/** The load tester for any LDAP server, and the JMH suites. */
@NullMarked
package org.nyala.loadtest;

import org.jspecify.annotations.NullMarked;
