package org.nyala.management.page;

import java.util.List;
import java.util.function.Supplier;
import org.nyala.log.LoginListener;
import org.nyala.management.ServerComponents;
import org.nyala.management.bean.AccountsMXBean;
import org.nyala.management.bean.DispatchMXBean;
import org.nyala.management.bean.ExplainMXBean;
import org.nyala.management.bean.FindingsMXBean.Finding;
import org.nyala.management.bean.JobsMXBean;

/**
 * The parts of a server that the page shows and acts on: the beans that JMX serves.
 *
 * <p>Immutable; the parts are thread-safe.
 *
 * @param parts the components
 * @param program name and version of the program
 * @param dispatch the strategy
 * @param jobs backups and indexes
 * @param explain explanations of searches
 * @param accounts the accounts of users
 * @param advice the findings of an examination, other than alarms
 * @param log learns of what administrators do
 */
public record PageSources(
    ServerComponents parts,
    String program,
    DispatchMXBean dispatch,
    JobsMXBean jobs,
    ExplainMXBean explain,
    AccountsMXBean accounts,
    Supplier<List<Finding>> advice,
    LoginListener log) {}
