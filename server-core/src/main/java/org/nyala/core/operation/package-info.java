/** One class per LDAP operation, and how they are routed. Hot: search, bind and compare. */
@NullMarked
package org.nyala.core.operation;

import org.jspecify.annotations.NullMarked;
